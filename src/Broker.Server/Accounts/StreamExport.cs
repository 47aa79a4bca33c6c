namespace Broker.Server.Accounts;

/// <summary>Messages of this account that others may subscribe to.</summary>
/// <param name="subject">A subject or filter.</param>
public sealed class StreamExport(string subject) : AccountExport(subject);
