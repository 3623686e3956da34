// Command controller-runtime reconciles SecretContracts as a controller on sigs.k8s.io/controller-runtime usually does: it
// caches contracts and Secrets, and writes a status when it differs. The benchmark compares evenkeel with it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// As many passes at once as evenkeel's worker runs by default, and no limit of the client's own.
const (
	concurrency = 16
	noLimit     = -1
)

const secretOfContract = "spec.secretRef.name"

type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var contract SecretContract
	if err := r.Get(ctx, request.NamespacedName, &contract); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	secret := &corev1.Secret{}
	name := types.NamespacedName{Namespace: contract.Namespace, Name: contract.Spec.SecretRef.Name}
	if err := r.Get(ctx, name, secret); apierrors.IsNotFound(err) {
		secret = nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	status, due := judge(&contract, secret, time.Now())
	if !equality.Semantic.DeepEqual(contract.Status, status) {
		before := contract.deepCopy()
		contract.Status = status
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Status().Patch(ctx, &contract, patch); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	return ctrl.Result{RequeueAfter: due}, nil
}

// readersOf returns the contracts that name a Secret.
func (r reconciler) readersOf(ctx context.Context, secret client.Object) []reconcile.Request {
	var readers SecretContractList
	named := client.MatchingFields{secretOfContract: secret.GetName()}
	if err := r.List(ctx, &readers, client.InNamespace(secret.GetNamespace()), named); err != nil {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(readers.Items))
	for i := range readers.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&readers.Items[i])})
	}
	return requests
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = noLimit
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	index := func(contract client.Object) []string { return []string{contract.(*SecretContract).Spec.SecretRef.Name} }
	if err := manager.GetFieldIndexer().IndexField(ctx, &SecretContract{}, secretOfContract, index); err != nil {
		return err
	}
	r := reconciler{manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).
		For(&SecretContract{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.readersOf)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(r)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return manager.Start(ctx)
}

func main() {
	// The flag -kubeconfig, which controller-runtime declares, names the API server.
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
