namespace Broker.Server;

/// <summary>The estimated traffic of one subject. Immutable.</summary>
/// <param name="Account">The account of the publishers.</param>
/// <param name="Subject">The subject. Of a long subject, the first 128 bytes.</param>
/// <param name="IsCut">Whether the subject has more bytes. Subjects with the same first bytes are counted
/// together.</param>
/// <param name="Messages">
/// The estimated number of messages that clients published to the subject since it was noticed. It begins again if the
/// subject was not among those with the most traffic for a while.
/// </param>
/// <param name="Bytes">The estimated payload bytes of these messages, headers included.</param>
public sealed record SubjectTraffic(string Account, string Subject, bool IsCut, long Messages, long Bytes);
