namespace Broker.Server;

/// <summary>The credentials in a client's CONNECT.</summary>
internal sealed record Credentials(string? User, string? Password, string? Token, string? Key, string? Signature)
{
    /// <summary>The JWT of the user. It counts only if the server has operators.</summary>
    internal string? Jwt { get; init; }

    internal static Credentials None { get; } = new(null, null, null, null, null);

    internal bool IsEmpty => string.IsNullOrEmpty(User) && string.IsNullOrEmpty(Password) && string.IsNullOrEmpty(Token)
        && string.IsNullOrEmpty(Key) && string.IsNullOrEmpty(Signature);

    /// <summary>Returns the type name only, because the default text of a record contains the secrets.</summary>
    public override string ToString() => nameof(Credentials);
}
