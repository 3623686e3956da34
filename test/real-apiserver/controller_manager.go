package main

import (
	"context"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
)

// runControllerManager returns when the context ends or the controllers cannot go on. The API server must be up, and
// have set the feature gates, which both share.
func runControllerManager(ctx context.Context, a *access) error {
	manager, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	known, disabled, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	groups := manager.Flags(known, disabled, aliases)
	manager.ParsedFlags = &groups
	flags := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	for _, group := range groups.FlagSets {
		flags.AddFlagSet(group)
	}
	if err := flags.Parse(controllerManagerFlags(a)); err != nil {
		return err
	}
	config, err := manager.Config(ctx, known, disabled, aliases)
	if err != nil {
		return err
	}
	return app.Run(ctx, config.Complete())
}

func controllerManagerFlags(a *access) []string {
	return []string{
		"--kubeconfig=" + a.controllerKubeconfigFile,
		// Nothing may change an object but the test and what carries out deletions. The API server puts a finalizer on
		// every volume claim and volume; without the two that take it off, none of them, and no namespace with one,
		// would ever go.
		"--controllers=garbage-collector-controller,namespace-controller," +
			"persistentvolumeclaim-protection-controller,persistentvolume-protection-controller",
		"--leader-elect=false",
		// No listener of its own.
		"--secure-port=0",
		// Its default of 20 requests a second makes a test wait for the limit, not for the controller.
		"--kube-api-qps=1000",
		"--kube-api-burst=1000",
	}
}
