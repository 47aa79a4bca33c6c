namespace Broker.Server;

/// <summary>
/// A user that may connect. It authenticates by a name and a password, by an nkey or by a certificate. Immutable.
/// </summary>
public sealed partial class User
{
    private bool _isOpen;

    /// <summary>Creates a user with a password.</summary>
    /// <param name="name">The user name.</param>
    /// <param name="password">
    /// The password in plain text, or its bcrypt hash (<c>$2a$…</c>, <c>$2b$…</c>, <c>$2x$…</c> or <c>$2y$…</c>). A
    /// hash requires <see cref="BrokerServerOptions.PasswordVerifier"/>. A server does not accept a user with an empty
    /// password; see <see cref="WithoutPassword"/>.
    /// </param>
    /// <param name="permissions">
    /// The user's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </param>
    public User(string name, string password, Permissions? permissions = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(password);
        Name = name;
        Password = password;
        Permissions = permissions;
    }

    private User(User other)
    {
        Name = other.Name;
        Password = other.Password;
        Permissions = other.Permissions;
        Key = other.Key;
        HasCertificateOnly = other.HasCertificateOnly;
        _isOpen = other._isOpen;
    }

    private User(string name, byte[] key, Permissions? permissions)
    {
        Name = name;
        Key = key;
        Permissions = permissions;
        Password = "";
    }

    /// <summary>The user name. The name of a user with a key is the public key as text.</summary>
    public string Name { get; }

    /// <summary>The user's permissions; null for the server's default.</summary>
    public Permissions? Permissions { get; }

    /// <summary>
    /// The transports by which clients may connect as this user; null for all. An in-process client that the
    /// application connects as a user is not checked.
    /// </summary>
    public IReadOnlyList<ClientTransport>? AllowedTransports { get; private init; }

    /// <summary>The Ed25519 public key of 32 bytes; null for a user without a key.</summary>
    internal byte[]? Key { get; }

    internal string Password { get; }

    /// <summary>
    /// Whether the password is empty although the user was not created by <see cref="WithoutPassword"/>.
    /// </summary>
    internal bool IsPasswordMissing => Password.Length == 0 && Key is null && !HasCertificateOnly && !_isOpen;

    /// <summary>
    /// Creates a user without a password. A client is this user if it sends the name and no password. If the user is
    /// <see cref="BrokerServerOptions.NoAuthUser"/>, a client without credentials is this user too.
    /// </summary>
    /// <param name="name">The user name.</param>
    /// <param name="permissions">
    /// The user's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </param>
    public static User WithoutPassword(string name, Permissions? permissions = null)
        => new(name, "", permissions) { _isOpen = true };

    /// <summary>
    /// Creates a user that authenticates by signing the server's nonce with the seed of its nkey. This requires
    /// <see cref="BrokerServerOptions.SignatureVerifier"/>.
    /// </summary>
    /// <param name="publicKey">The public user nkey: 56 characters that begin with <c>U</c>.</param>
    /// <param name="permissions">
    /// The user's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </param>
    /// <exception cref="ArgumentException">The text is not a public user nkey.</exception>
    public static User WithKey(string publicKey, Permissions? permissions = null)
    {
        ArgumentNullException.ThrowIfNull(publicKey);
        return PublicKey.TryDecode(publicKey, out byte[]? key)
            ? new User(publicKey, key, permissions)
            : throw new ArgumentException($"'{publicKey}' is not a public user nkey.", nameof(publicKey));
    }

    /// <summary>Creates a copy of this user for clients that connect by one of the given transports.</summary>
    /// <param name="transports">The transports. If empty, no client can be this user.</param>
    public User OnlyBy(params IReadOnlyList<ClientTransport> transports)
    {
        ArgumentNullException.ThrowIfNull(transports);
        return new User(this) { AllowedTransports = [.. transports] };
    }

    /// <summary>Returns the name and never the password.</summary>
    public override string ToString() => Name;
}
