namespace Broker.Server;

/// <summary>A key that may sign the users of an account.</summary>
/// <param name="Key">The public key.</param>
/// <param name="Template">The rights of a scoped key's users; null for a plain key: its users have own claims.</param>
internal sealed record SigningKey(string Key, UserTerms? Template);
