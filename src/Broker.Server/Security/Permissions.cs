using System.Text;

namespace Broker.Server;

/// <summary>
/// The subjects that a client may publish and subscribe to. Immutable; several users and servers may share one object.
/// </summary>
/// <exception cref="ArgumentException">
/// An entry is not a valid subject or filter. The server throws this exception when it checks its options.
/// </exception>
public sealed class Permissions
{
    private AccessRules? _rules;

    /// <summary>
    /// The subjects that the client may publish to. Default: all subjects; if <see cref="Responses"/> is set, only
    /// reply subjects of received messages.
    /// </summary>
    public SubjectPermissions Publish { get; init; } = new();

    /// <summary>The subjects that the client may subscribe to. Default: all subjects.</summary>
    public SubjectPermissions Subscribe { get; init; } = new();

    /// <summary>
    /// The permission to publish to the reply subjects of received messages. Null, the default: only
    /// <see cref="Publish"/> counts.
    /// </summary>
    public ResponsePermissions? Responses { get; init; }

    /// <summary>
    /// Returns whether a client with these permissions may publish to a subject. A message that was mapped has the new
    /// subject. A permission by <see cref="Responses"/> does not count, because it depends on received messages.
    /// </summary>
    /// <exception cref="ArgumentException">An entry of these permissions is not valid.</exception>
    public bool MayPublish(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        return Rules.MayPublish(Encoding.UTF8.GetBytes(subject));
    }

    /// <summary>
    /// Returns whether a client with these permissions may receive messages of a subject by a subscription without a
    /// queue group.
    /// </summary>
    /// <exception cref="ArgumentException">An entry of these permissions is not valid.</exception>
    public bool MayReceive(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        return Rules.MayReceive(Encoding.UTF8.GetBytes(subject), default);
    }

    /// <summary>
    /// The compiled rules, created on first use. Two threads may create equal rules at the same time.
    /// </summary>
    internal AccessRules Rules => _rules ??= new AccessRules(this);
}
