package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SecretContract has the fields of the custom resource that the benchmark's contracts use. What it does not know stays as it
// is: the status is written by a merge patch.
type SecretContract struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ContractSpec   `json:"spec"`
	Status            ContractStatus `json:"status,omitzero"`
}

type ContractSpec struct {
	SecretRef struct {
		Name string `json:"name"`
	} `json:"secretRef"`
	Keys   []ContractKey `json:"keys"`
	MaxAge string        `json:"maxAge,omitempty"`
}

type ContractKey struct {
	Name string `json:"name"`
}

type ContractStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	ObservedSecret     *SecretIdentity    `json:"observedSecret,omitempty"`
	Findings           []Finding          `json:"findings,omitempty"`
	LastCheckedTime    *metav1.Time       `json:"lastCheckedTime,omitempty"`
	NextCheckTime      *metav1.Time       `json:"nextCheckTime,omitempty"`
}

type SecretIdentity struct {
	Name            string `json:"name"`
	Namespace       string `json:"namespace"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

type Finding struct {
	Key    string `json:"key"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

type SecretContractList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []SecretContract `json:"items"`
}

func (in *SecretContract) DeepCopyObject() runtime.Object { return in.deepCopy() }

func (in *SecretContract) deepCopy() *SecretContract {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Keys = append([]ContractKey(nil), in.Spec.Keys...)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	out.Status.Findings = append([]Finding(nil), in.Status.Findings...)
	out.Status.LastCheckedTime = in.Status.LastCheckedTime.DeepCopy()
	out.Status.NextCheckTime = in.Status.NextCheckTime.DeepCopy()
	if in.Status.ObservedSecret != nil {
		secret := *in.Status.ObservedSecret
		out.Status.ObservedSecret = &secret
	}
	return &out
}

func (in *SecretContractList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]SecretContract, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].deepCopy()
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) {
	version := schema.GroupVersion{Group: "evenkeel.dev", Version: "v1alpha1"}
	scheme.AddKnownTypes(version, &SecretContract{}, &SecretContractList{})
	metav1.AddToGroupVersion(scheme, version)
}
