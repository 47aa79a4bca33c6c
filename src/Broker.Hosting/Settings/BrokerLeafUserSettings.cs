using Broker.Server;

namespace Broker.Hosting;

/// <summary>A user that servers which join the host's server can authenticate as.</summary>
public sealed class BrokerLeafUserSettings
{
    /// <summary>The user's name.</summary>
    public string? Name { get; set; }

    /// <summary>
    /// The password, or a bcrypt hash of the password. A hash needs the package <c>Broker.Cryptography</c>.
    /// </summary>
    public string? Password { get; set; }

    /// <summary>The account in which the other server takes part. Null, the default: the global account.</summary>
    public string? Account { get; set; }

    internal PeerUser ToUser()
        => string.IsNullOrEmpty(Name) || string.IsNullOrEmpty(Password)
            ? throw new ArgumentException("Users: each needs a Name and a Password.")
            : new PeerUser(new User(Name, Password), Account);
}
