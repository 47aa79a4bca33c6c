using Broker.Server;

namespace Broker.Hosting;

/// <summary>A user that clients may be.</summary>
public sealed class BrokerUserSettings
{
    /// <summary>The name.</summary>
    public string? Name { get; set; }

    /// <summary>The password, or with <c>Broker.Cryptography</c> a bcrypt hash of it.</summary>
    public string? Password { get; set; }

    /// <summary>Where it may publish. Null: wherever the default permissions let it.</summary>
    public BrokerSubjectSettings? Publish { get; set; }

    /// <summary>What it may subscribe to. Null: whatever the default permissions let it.</summary>
    public BrokerSubjectSettings? Subscribe { get; set; }

    internal User ToUser()
    {
        if (string.IsNullOrEmpty(Name) || string.IsNullOrEmpty(Password))
        {
            throw new ArgumentException("Users: each needs a Name and a Password.");
        }

        return new User(Name, Password, Publish is null && Subscribe is null ? null : new Permissions { Publish = Of(Publish), Subscribe = Of(Subscribe) });
    }

    private static SubjectPermissions Of(BrokerSubjectSettings? subjects) => subjects is null
        ? new SubjectPermissions()
        : new SubjectPermissions { Allow = subjects.Allow.Count == 0 ? null : [.. subjects.Allow], Deny = [.. subjects.Deny] };
}
