namespace Broker.Server.Monitoring;

/// <summary>One import of an account. Immutable.</summary>
/// <param name="IsService">Whether it is of a service, and not of a stream.</param>
/// <param name="Account">The account that exports it.</param>
/// <param name="Subject">The subject or filter there.</param>
/// <param name="LocalSubject">What it is called here, as a filter.</param>
public sealed record ImportFacts(bool IsService, string Account, string Subject, string LocalSubject);
