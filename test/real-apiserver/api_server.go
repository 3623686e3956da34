package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// runAPIServer returns when the context ends or the server cannot go on.
func runAPIServer(ctx context.Context, a *access, listener net.Listener) error {
	server := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, group := range server.Flags().FlagSets {
		flags.AddFlagSet(group)
	}
	if err := flags.Parse(apiServerFlags(a)); err != nil {
		return err
	}
	server.SecureServing.Listener = listener
	server.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port

	if err := server.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	completed, err := server.Complete(ctx)
	if err != nil {
		return err
	}
	if invalid := completed.Validate(); len(invalid) != 0 {
		return utilerrors.NewAggregate(invalid)
	}
	return app.Run(ctx, completed)
}

func apiServerFlags(a *access) []string {
	return []string{
		"--etcd-servers=" + etcdClientURL,
		// Only the compact command compacts, so that no test meets a compaction by chance.
		"--etcd-compaction-interval=0",

		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.96.0.0/24",
		"--tls-cert-file=" + a.servingCertFile,
		"--tls-private-key-file=" + a.servingKeyFile,

		"--authorization-mode=RBAC",
		"--token-auth-file=" + a.tokenFile,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + a.serviceAccountKeyFile,
		"--service-account-signing-key-file=" + a.serviceAccountKeyFile,
		// It refuses every pod until the default service account exists, which a controller that we do not run makes.
		"--disable-admission-plugins=ServiceAccount",

		"--audit-policy-file=" + a.auditPolicyFile,
		"--audit-log-path=" + a.auditLogFile,
		// Each line is in the file before the request it speaks of goes on.
		"--audit-log-mode=blocking",
		// In megabytes: never rotated within a test run.
		"--audit-log-maxsize=100000",

		// Its queues make latency depend on what else a test machine does, and it writes objects of its own every few
		// seconds. Without it the server answers 429 only above --max-requests-inflight.
		"--enable-priority-and-fairness=false",
	}
}

// awaitReady returns once /readyz answers 200, or with the reason why it never will.
func awaitReady(ctx context.Context, a *access, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	authority, err := os.ReadFile(a.caFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()

	for last := error(nil); ; {
		ready, err := askReady(ctx, client, a)
		if ready {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case err := <-ended:
			return fmt.Errorf("kube-apiserver ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver not ready after %s: %w", readyTimeout, last)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func askReady(ctx context.Context, client *http.Client, a *access) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/readyz", nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+a.adminToken)
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK, fmt.Errorf("/readyz answered %s", response.Status)
}
