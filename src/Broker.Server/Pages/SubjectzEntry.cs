namespace Broker.Server;

/// <summary>One subject of <c>/subjectz</c>.</summary>
internal sealed record SubjectzEntry(string Account, string Subject, bool? Cut, long Msgs, long Bytes);
