using System.Text.Json;

namespace Broker.Server;

/// <summary>One account in <see cref="Jsz"/>.</summary>
internal sealed record JszAccount
{
    // As in nats-server, an account without a limit of its own has this reservation.
    private const ulong NoLimit = ulong.MaxValue;

    public required string Name { get; init; }

    public required string Id { get; init; }

    public long Memory { get; init; }

    public long Storage { get; init; }

    public ulong ReservedMemory { get; init; } = NoLimit;

    public ulong ReservedStorage { get; init; } = NoLimit;

    public int Accounts { get; }

    public int HaAssets { get; }

    public required JszApi Api { get; init; }

    public JsonElement? StreamDetail { get; init; }

    internal static JszAccount From(AccountStreamsDescription account) => new()
    {
        Name = account.Account,
        Id = account.Account,
        Memory = account.Memory,
        Storage = account.File,
        ReservedMemory = (ulong?)account.Limits.MaxMemory ?? NoLimit,
        ReservedStorage = (ulong?)account.Limits.MaxFile ?? NoLimit,
        Api = new JszApi(account.Requests, account.Errors),
        StreamDetail = account.StreamsJson.IsEmpty ? null : Parse(account.StreamsJson),
    };

    private static JsonElement Parse(ReadOnlyMemory<byte> json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.Clone();
    }
}
