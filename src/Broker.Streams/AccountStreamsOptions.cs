using Broker.Server;

namespace Broker.Streams;

/// <summary>The options of the streams of one account.</summary>
internal sealed record AccountStreamsOptions
{
    /// <summary>The account; null for the global account.</summary>
    internal string? Account { get; init; }

    /// <summary>The directory of the account's store. It is created if it does not exist.</summary>
    internal required string Directory { get; init; }

    /// <summary>The domain, which is a second name of the API; null for none.</summary>
    internal string? Domain { get; init; }

    internal AccountStreamLimits Limits { get; init; } = AccountStreamLimits.None;

    internal StoreOptions Store { get; init; } = new();

    /// <summary>Receives errors of the program itself.</summary>
    internal Action<Exception> OnFault { get; init; } = static _ => { };
}
