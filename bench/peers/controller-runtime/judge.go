package main

import (
	"fmt"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// judge returns the status that the contract has for its Secret, nil where there is none, and when it is next due.
func judge(contract *SecretContract, secret *corev1.Secret, now time.Time) (ContractStatus, time.Duration) {
	before := contract.Status
	status := ContractStatus{
		ObservedGeneration: contract.Generation,
		Conditions:         append([]metav1.Condition(nil), before.Conditions...),
		LastCheckedTime:    before.LastCheckedTime,
	}
	set := func(name string, holds metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: name, Status: holds, Reason: reason, Message: message, ObservedGeneration: contract.Generation,
		})
	}
	set("Authorized", metav1.ConditionTrue, "SameNamespace", "The Secret is in the contract's namespace.")
	var due time.Duration
	if secret == nil {
		set("SecretExists", metav1.ConditionFalse, "SecretNotFound", "The Secret does not exist: create it.")
		set("KeysValid", metav1.ConditionUnknown, "NotEvaluated", "Not evaluated.")
		set("Fresh", metav1.ConditionUnknown, "NotEvaluated", "Not evaluated.")
	} else {
		status.ObservedSecret = &SecretIdentity{
			Name: secret.Name, Namespace: secret.Namespace, UID: string(secret.UID), ResourceVersion: secret.ResourceVersion,
		}
		set("SecretExists", metav1.ConditionTrue, "SecretFound", "The Secret exists.")
		status.Findings = findings(contract, secret)
		if len(status.Findings) == 0 {
			set("KeysValid", metav1.ConditionTrue, "RulesSatisfied", "Every key satisfies its rules.")
		} else {
			first := status.Findings[0]
			set("KeysValid", metav1.ConditionFalse, first.Reason, fmt.Sprintf("The key %s: %s.", first.Key, first.Rule))
		}
		due = judgeAge(contract, secret, now, set)
		if due > 0 {
			next := metav1.NewTime(now.Add(due).Add(time.Second - 1).Truncate(time.Second))
			status.NextCheckTime = &next
		}
	}
	setReady(&status, set)
	isNew := before.LastCheckedTime == nil || before.ObservedGeneration != contract.Generation ||
		!equality.Semantic.DeepEqual(before.ObservedSecret, status.ObservedSecret)
	if isNew {
		checked := metav1.NewTime(now.Truncate(time.Second))
		status.LastCheckedTime = &checked
	}
	return status, due
}

func findings(contract *SecretContract, secret *corev1.Secret) []Finding {
	var found []Finding
	for _, key := range contract.Spec.Keys {
		if value, ok := secret.Data[key.Name]; !ok {
			found = append(found, Finding{Key: key.Name, Rule: "required", Reason: "KeyMissing"})
		} else if len(value) == 0 {
			found = append(found, Finding{Key: key.Name, Rule: "nonEmpty", Reason: "RuleViolated"})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Key < found[j].Key })
	return found
}

func judgeAge(
	contract *SecretContract, secret *corev1.Secret, now time.Time, set func(string, metav1.ConditionStatus, string, string),
) time.Duration {
	maxAge, err := time.ParseDuration(contract.Spec.MaxAge)
	if err != nil {
		set("Fresh", metav1.ConditionTrue, "NoMaxAge", "The contract sets no maxAge.")
		return 0
	}
	left := secret.CreationTimestamp.Add(maxAge).Sub(now)
	if left <= 0 {
		set("Fresh", metav1.ConditionFalse, "MaxAgeExceeded",
			fmt.Sprintf("The Secret has reached its maxAge of %s: rotate it.", contract.Spec.MaxAge))
		return 0
	}
	set("Fresh", metav1.ConditionTrue, "WithinMaxAge", fmt.Sprintf("The Secret is younger than %s.", contract.Spec.MaxAge))
	return left
}

// setReady gives the condition Ready the reason of the first condition that does not hold.
func setReady(status *ContractStatus, set func(string, metav1.ConditionStatus, string, string)) {
	for _, holds := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} {
		for _, condition := range status.Conditions {
			if condition.Type != "Ready" && condition.Status == holds {
				set("Ready", holds, condition.Reason, condition.Message)
				return
			}
		}
	}
	set("Ready", metav1.ConditionTrue, "AllSatisfied", "The Secret satisfies the contract.")
}
