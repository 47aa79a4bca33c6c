namespace Broker.Server.Security;

/// <summary>Somebody who may connect: by name and password, or by a public nkey. Immutable.</summary>
public sealed partial class User
{
    private bool _isOpen;

    /// <summary>A user with a password.</summary>
    /// <param name="name">The name.</param>
    /// <param name="password">
    /// The password in clear, or a bcrypt hash of it (<c>$2a$…</c>, also b, x and y); a hash needs
    /// <see cref="BrokerServerOptions.PasswordVerifier"/>. An empty one is refused by the server that is given the user; see
    /// <see cref="WithoutPassword"/>.
    /// </param>
    /// <param name="permissions">What it may do; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.</param>
    public User(string name, string password, Permissions? permissions = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(password);
        Name = name;
        Password = password;
        Permissions = permissions;
    }

    private User(string name, byte[] key, Permissions? permissions)
    {
        Name = name;
        Key = key;
        Permissions = permissions;
        Password = "";
    }

    /// <summary>The name; of a user with a key the key as it was given.</summary>
    public string Name { get; }

    /// <summary>What it may do; null for the server's default.</summary>
    public Permissions? Permissions { get; }

    /// <summary>The Ed25519 public key, 32 bytes; null for a user with a password.</summary>
    internal byte[]? Key { get; }

    internal string Password { get; }

    /// <summary>Whether the password is empty and nothing says that it should be.</summary>
    internal bool IsPasswordMissing => Password.Length == 0 && Key is null && !HasCertificateOnly && !_isOpen;

    /// <summary>
    /// A user that everybody is who gives the name and no password, or who gives nothing where it is
    /// <see cref="BrokerServerOptions.NoAuthUser"/>.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="permissions">What it may do; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.</param>
    public static User WithoutPassword(string name, Permissions? permissions = null) => new(name, "", permissions) { _isOpen = true };

    /// <summary>
    /// A user that signs the server's nonce with the seed of its nkey; needs <see cref="BrokerServerOptions.SignatureVerifier"/>.
    /// </summary>
    /// <param name="publicKey">The public user nkey: 56 characters, the first of them <c>U</c>.</param>
    /// <param name="permissions">What it may do; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.</param>
    /// <exception cref="ArgumentException">It is none.</exception>
    public static User WithKey(string publicKey, Permissions? permissions = null)
    {
        ArgumentNullException.ThrowIfNull(publicKey);
        return UserKey.TryDecode(publicKey, out byte[]? key)
            ? new User(publicKey, key, permissions)
            : throw new ArgumentException($"'{publicKey}' is no public user nkey.", nameof(publicKey));
    }

    /// <summary>The name, and never the password.</summary>
    public override string ToString() => Name;
}
