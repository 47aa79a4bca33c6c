namespace Broker.Server;

/// <summary>Subjects of this account that other accounts may subscribe to.</summary>
/// <param name="subject">The subject or filter.</param>
public sealed class StreamExport(string subject) : AccountExport(subject);
