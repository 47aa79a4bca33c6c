using Broker.Server;

namespace Broker.Cryptography;

/// <summary>Gives a server what it needs for users with hashed passwords and with keys.</summary>
public static class CryptographyOptions
{
    /// <summary>Sets <see cref="BrokerServerOptions.PasswordVerifier"/> and <see cref="BrokerServerOptions.SignatureVerifier"/>.</summary>
    /// <returns>The options, for more.</returns>
    public static BrokerServerOptions UseCryptography(this BrokerServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.PasswordVerifier = new BcryptVerifier();
        options.SignatureVerifier = new Ed25519Verifier();
        return options;
    }
}
