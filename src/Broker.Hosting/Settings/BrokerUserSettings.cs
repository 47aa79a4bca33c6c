using Broker.Server;

namespace Broker.Hosting;

/// <summary>A user that a client can authenticate as.</summary>
public sealed class BrokerUserSettings
{
    /// <summary>The user's name.</summary>
    public string? Name { get; set; }

    /// <summary>
    /// The password, or a bcrypt hash of the password. A hash needs the package <c>Broker.Cryptography</c>.
    /// </summary>
    public string? Password { get; set; }

    /// <summary>The subjects that the user may publish to. Null means the default permissions.</summary>
    public BrokerSubjectSettings? Publish { get; set; }

    /// <summary>The subjects that the user may subscribe to. Null means the default permissions.</summary>
    public BrokerSubjectSettings? Subscribe { get; set; }

    /// <summary>As <see cref="User.AllowedTransports"/>. If empty (the default), all are allowed.</summary>
    public IList<ClientTransport> Transports { get; } = [];

    internal User ToUser()
    {
        if (string.IsNullOrEmpty(Name) || string.IsNullOrEmpty(Password))
        {
            throw new ArgumentException("Users: each needs a Name and a Password.");
        }

        var user = new User(Name, Password, Publish is null && Subscribe is null ? null : new Permissions { Publish = Of(Publish), Subscribe = Of(Subscribe) });
        return Transports.Count == 0 ? user : user.OnlyBy([.. Transports]);
    }

    private static SubjectPermissions Of(BrokerSubjectSettings? subjects) => subjects is null
        ? new SubjectPermissions()
        : new SubjectPermissions { Allow = subjects.Allow.Count == 0 ? null : [.. subjects.Allow], Deny = [.. subjects.Deny] };
}
