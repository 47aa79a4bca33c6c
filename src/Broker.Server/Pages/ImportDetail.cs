namespace Broker.Server;

/// <summary>
/// One import in <see cref="AccountDetail"/>. As in nats-server, a service shows the importer's subject, and a stream
/// shows the exporter's subject.
/// </summary>
internal sealed record ImportDetail
{
    public required string Subject { get; init; }

    public required string Account { get; init; }

    public string? LocalSubject { get; init; }

    public string? To { get; init; }

    public required string Type { get; init; }

    public bool Invalid { get; }

    public bool Share { get; init; }

    public bool Tracking { get; }

    internal static ImportDetail From(ImportDescription facts) => new()
    {
        Subject = facts.IsService ? facts.LocalSubject : facts.Subject,
        Account = facts.Account,
        LocalSubject = facts.IsService ? null : facts.LocalSubject,
        To = facts.IsService ? facts.Subject : null,
        Type = facts.IsService ? "service" : "stream",
        Share = facts.Share,
    };
}
