// Command kubeconfig says what kubectl would make of kubeconfig files: client-go's own loader reads them, and what it
// resolved is printed, so that tests can hold another parser to it.
//
// It reads one JSON object a line from standard input and answers each with one on standard output. It connects to
// nothing and runs no credential plugin, and ends when standard input closes.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const longestLineBytes = 16 * 1024 * 1024

// question names the files as a user of kubectl would.
type question struct {
	// File is that of --kubeconfig; empty for what the variable KUBECONFIG says.
	File       string `json:"file"`
	Kubeconfig string `json:"kubeconfig"`
	// Context is that of --context; empty for the current one.
	Context string `json:"context"`
}

// answer holds an error, or the connection that kubectl would use. Nothing is read from the files that it names.
type answer struct {
	Error              string   `json:"error,omitempty"`
	Server             string   `json:"server,omitempty"`
	CAData             string   `json:"caData,omitempty"`
	CAFile             string   `json:"caFile,omitempty"`
	TLSServerName      string   `json:"tlsServerName,omitempty"`
	Insecure           bool     `json:"insecure,omitempty"`
	Proxy              string   `json:"proxy,omitempty"`
	CertData           string   `json:"certData,omitempty"`
	CertFile           string   `json:"certFile,omitempty"`
	KeyData            string   `json:"keyData,omitempty"`
	KeyFile            string   `json:"keyFile,omitempty"`
	Token              string   `json:"token,omitempty"`
	TokenFile          string   `json:"tokenFile,omitempty"`
	BasicAuth          bool     `json:"basicAuth,omitempty"`
	AuthProvider       bool     `json:"authProvider,omitempty"`
	Impersonates       bool     `json:"impersonates,omitempty"`
	ExecCommand        string   `json:"execCommand,omitempty"`
	ExecArgs           []string `json:"execArgs,omitempty"`
	ExecNeedsATerminal bool     `json:"execNeedsATerminal,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLineBytes)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "kubeconfig: a line is no question:", err)
			os.Exit(1)
		}
		resolved, err := resolve(asked)
		if err != nil {
			resolved = answer{Error: err.Error()}
		}
		if err := answers.Encode(resolved); err != nil {
			os.Exit(1)
		}
	}
}

func resolve(asked question) (answer, error) {
	if err := os.Setenv(clientcmd.RecommendedConfigPathEnvVar, asked.Kubeconfig); err != nil {
		return answer{}, err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = asked.File
	rules.Warner = func(error) {}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: asked.Context}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return answer{}, err
	}
	// Reads certificates and keys, and refuses what does not go together.
	if _, err := rest.TransportFor(config); err != nil {
		return answer{}, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return answer{}, err
	}
	resolved := answer{
		Server:        server.String(),
		CAData:        base64.StdEncoding.EncodeToString(config.CAData),
		CAFile:        config.CAFile,
		TLSServerName: config.ServerName,
		Insecure:      config.Insecure,
		CertData:      base64.StdEncoding.EncodeToString(config.CertData),
		CertFile:      config.CertFile,
		KeyData:       base64.StdEncoding.EncodeToString(config.KeyData),
		KeyFile:       config.KeyFile,
		Token:         config.BearerToken,
		TokenFile:     config.BearerTokenFile,
		BasicAuth:     config.Username != "" || config.Password != "",
		AuthProvider:  config.AuthProvider != nil,
		Impersonates:  config.Impersonate.UserName != "",
	}
	if plugin := config.ExecProvider; plugin != nil {
		resolved.ExecCommand = plugin.Command
		resolved.ExecArgs = plugin.Args
		resolved.ExecNeedsATerminal = plugin.InteractiveMode == "Always"
	}
	if config.Proxy != nil {
		proxy, err := config.Proxy(&http.Request{URL: server})
		if err != nil {
			return answer{}, err
		}
		resolved.Proxy = proxy.String()
	}
	return resolved, nil
}
