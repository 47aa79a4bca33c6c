namespace Broker.Server;

/// <summary>The permissions of a user in <see cref="UserInfo"/>.</summary>
internal sealed record UserPermissions
{
    public AllowedSubjects? Publish { get; init; }

    public AllowedSubjects? Subscribe { get; init; }

    public AllowedResponses? Responses { get; init; }

    internal static UserPermissions From(Permissions permissions) => new()
    {
        Publish = AllowedSubjects.From(permissions.Publish),
        Subscribe = AllowedSubjects.From(permissions.Subscribe),
        Responses = permissions.Responses is { } responses
            ? new AllowedResponses(responses.MaxMessages, Varz.Nanoseconds(responses.Expires))
            : null,
    };
}
