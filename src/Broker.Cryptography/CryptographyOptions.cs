using Broker.Server;

namespace Broker.Cryptography;

/// <summary>Configures a server for users with hashed passwords and for users with keys.</summary>
public static class CryptographyOptions
{
    // A reload compares the verifiers of the old and the new options. Both have no state, so all options share them.
    private static readonly BcryptVerifier Passwords = new();
    private static readonly Ed25519Verifier Signatures = new();

    private static readonly Func<IServerKeys> Keys = static () => new ServerKeys();

    /// <summary>
    /// Sets <see cref="BrokerServerOptions.PasswordVerifier"/>, <see cref="BrokerServerOptions.SignatureVerifier"/> and
    /// <see cref="BrokerServerOptions.CreateServerKeys"/>.
    /// </summary>
    /// <returns>The same options.</returns>
    public static BrokerServerOptions UseCryptography(this BrokerServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.PasswordVerifier = Passwords;
        options.SignatureVerifier = Signatures;
        options.CreateServerKeys = Keys;
        return options;
    }
}
