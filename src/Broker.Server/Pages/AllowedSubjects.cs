namespace Broker.Server;

/// <summary>The subjects in <see cref="UserPermissions"/> that a user may use.</summary>
internal sealed record AllowedSubjects(IReadOnlyList<string>? Allow, IReadOnlyList<string>? Deny)
{
    // As in nats-server, a missing list allows all subjects, and empty lists are omitted.
    internal static AllowedSubjects? From(SubjectPermissions subjects)
        => subjects is { Allow: null, Deny.Count: 0 }
            ? null
            : new AllowedSubjects(subjects.Allow, subjects.Deny.Count == 0 ? null : subjects.Deny);
}
