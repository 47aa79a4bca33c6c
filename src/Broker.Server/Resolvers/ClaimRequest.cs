namespace Broker.Server;

/// <summary>A request about the JWTs of accounts.</summary>
/// <param name="Kind">The last token of the subject, for example <c>UPDATE</c>.</param>
/// <param name="Account">The account in the subject; null for none.</param>
/// <param name="Body">The body.</param>
internal sealed record ClaimRequest(string Kind, string? Account, byte[] Body);
