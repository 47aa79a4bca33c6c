namespace Broker.Server;

/// <summary>A key that may sign the users of an account.</summary>
/// <param name="Key">The public key.</param>
/// <param name="Template">What each user of a scoped key may do; null for a plain key, whose users have own claims.</param>
internal sealed record SigningKey(string Key, UserTerms? Template);
