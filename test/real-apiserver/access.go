package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	adminUser      = "admin"
	controllerUser = "system:kube-controller-manager"
	// Whoever is in this group may do everything, whatever the RBAC objects say.
	mastersGroup = "system:masters"

	certificateLifetime = 10 * 365 * 24 * time.Hour
	// auditEverything logs each request's user, verb, object and outcome, but no bodies.
	auditEverything = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}`
)

// access is everything that lets clients in, and the files it lies in. A restart finds the same again.
type access struct {
	url                      string
	caFile                   string
	servingCertFile          string
	servingKeyFile           string
	serviceAccountKeyFile    string
	tokenFile                string
	adminToken               string
	adminKubeconfigFile      string
	controllerKubeconfigFile string
	auditPolicyFile          string
	auditLogFile             string
}

// prepareAccess reads the access files of the directory, or writes them if it has none.
func prepareAccess(directory, address string) (*access, error) {
	file := func(name string) string { return filepath.Join(directory, name) }
	a := &access{
		url:                      "https://" + address,
		caFile:                   file("ca.crt"),
		servingCertFile:          file("serving.crt"),
		servingKeyFile:           file("serving.key"),
		serviceAccountKeyFile:    file("service-account.key"),
		tokenFile:                file("tokens.csv"),
		adminKubeconfigFile:      file("admin.kubeconfig"),
		controllerKubeconfigFile: file("controller-manager.kubeconfig"),
		auditPolicyFile:          file("audit-policy.json"),
		auditLogFile:             file("audit.log"),
	}
	// Written last, hence the sign that the others are there.
	if _, err := os.Stat(a.tokenFile); os.IsNotExist(err) {
		if err := a.generate(); err != nil {
			return nil, err
		}
	}
	tokens, err := readTokens(a.tokenFile)
	if err != nil {
		return nil, err
	}
	a.adminToken = tokens[adminUser]
	if err := a.writeKubeconfig(a.adminKubeconfigFile, adminUser, tokens[adminUser]); err != nil {
		return nil, err
	}
	return a, a.writeKubeconfig(a.controllerKubeconfigFile, controllerUser, tokens[controllerUser])
}

func (a *access) generate() error {
	if err := a.generateCertificates(); err != nil {
		return err
	}
	serviceAccountKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := writeKey(a.serviceAccountKeyFile, serviceAccountKey); err != nil {
		return err
	}
	if err := os.WriteFile(a.auditPolicyFile, []byte(auditEverything), 0o600); err != nil {
		return err
	}
	var lines strings.Builder
	for _, user := range []string{adminUser, controllerUser} {
		fmt.Fprintf(&lines, "%s,%s,%s,%s\n", randomToken(), user, user, mastersGroup)
	}
	return os.WriteFile(a.tokenFile, []byte(lines.String()), 0o600)
}

// generateCertificates makes an authority of our own and what the server presents. Elliptic keys take no time to make.
func (a *access) generateCertificates() error {
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "evenkeel test authority"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(certificateLifetime),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := writeCertificate(a.caFile, authority, authority, authorityKey, authorityKey); err != nil {
		return err
	}
	serving := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "kube-apiserver"},
		NotBefore:    authority.NotBefore,
		NotAfter:     authority.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost", "kubernetes.default.svc"},
	}
	servingKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := writeCertificate(a.servingCertFile, serving, authority, servingKey, authorityKey); err != nil {
		return err
	}
	return writeKey(a.servingKeyFile, servingKey)
}

func writeCertificate(file string, certificate, issuer *x509.Certificate, key, issuerKey *ecdsa.PrivateKey) error {
	content, err := x509.CreateCertificate(rand.Reader, certificate, issuer, key.Public(), issuerKey)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}), 0o600)
}

func writeKey(file string, key *ecdsa.PrivateKey) error {
	content, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: content}), 0o600)
}

func randomToken() string {
	content := make([]byte, 16)
	rand.Read(content)
	return hex.EncodeToString(content)
}

// readTokens returns the token of each user in a static token file: token, user, UID and groups, separated by commas.
func readTokens(file string) (map[string]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tokens := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Split(line, ","); len(fields) > 1 {
			tokens[fields[1]] = fields[0]
		}
	}
	return tokens, nil
}

func (a *access) writeKubeconfig(file, user, token string) error {
	authority, err := os.ReadFile(a.caFile)
	if err != nil {
		return err
	}
	const name = "evenkeel-test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: a.url, CertificateAuthorityData: authority}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: user}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, file)
}
