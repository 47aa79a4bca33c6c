namespace Broker.Server.Security;

/// <summary>What a client shows to be let in.</summary>
internal sealed record Credentials(string? User, string? Password, string? Token, string? Key, string? Signature)
{
    internal static Credentials None { get; } = new(null, null, null, null, null);

    internal bool IsEmpty => string.IsNullOrEmpty(User) && string.IsNullOrEmpty(Password) && string.IsNullOrEmpty(Token)
        && string.IsNullOrEmpty(Key) && string.IsNullOrEmpty(Signature);

    /// <summary>Nothing: a record would show its members.</summary>
    public override string ToString() => nameof(Credentials);
}
