using Broker.Server;

namespace Broker.Cryptography;

/// <summary>Configures a server for users with hashed passwords and for users with keys.</summary>
public static class CryptographyOptions
{
    /// <summary>
    /// Sets <see cref="BrokerServerOptions.PasswordVerifier"/> and <see cref="BrokerServerOptions.SignatureVerifier"/>.
    /// </summary>
    /// <returns>The same options.</returns>
    public static BrokerServerOptions UseCryptography(this BrokerServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.PasswordVerifier = new BcryptVerifier();
        options.SignatureVerifier = new Ed25519Verifier();
        return options;
    }
}
