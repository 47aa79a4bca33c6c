namespace Broker.Server.Security;

/// <summary>What a client may publish and subscribe to. Immutable; one object may serve any number of users and servers.</summary>
/// <exception cref="ArgumentException">By the server that is given them: an entry is no subject and no filter.</exception>
public sealed class Permissions
{
    private AccessRules? _rules;

    /// <summary>Where it may publish. Default: everywhere, but only where <see cref="Responses"/> gives leave when that is set.</summary>
    public SubjectPermissions Publish { get; init; } = new();

    /// <summary>What it may subscribe to. Default: everything.</summary>
    public SubjectPermissions Subscribe { get; init; } = new();

    /// <summary>Leave to answer messages. Null, the default: none beside <see cref="Publish"/>.</summary>
    public ResponsePermissions? Responses { get; init; }

    /// <summary>Compiled on first use; two threads that do so at the same time make the same.</summary>
    internal AccessRules Rules => _rules ??= new AccessRules(this);
}
