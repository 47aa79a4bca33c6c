using System.Text.Json.Serialization;

namespace Broker.Cli.Tracing;

/// <summary>The parts of the monitoring pages that a trace reads. They are the same for nats-server.</summary>
internal static class TracePages
{
    internal sealed record Accounts
    {
        [JsonPropertyName("accounts")]
        public string[]? Names { get; init; }

        public string? SystemAccount { get; init; }

        public Account? AccountDetail { get; init; }
    }

    internal sealed record Account
    {
        public Dictionary<string, Destination[]>? Mappings { get; init; }

        public Import[]? Imports { get; init; }
    }

    /// <summary>A destination of a mapping. The weight is the sum up to this destination.</summary>
    internal sealed record Destination(string Subject, int Weight);

    internal sealed record Import
    {
        public string? Subject { get; init; }

        public string? Account { get; init; }

        public string? LocalSubject { get; init; }

        public string? To { get; init; }

        public string? Type { get; init; }
    }

    internal sealed record Subscriptions
    {
        public Subscription[]? SubscriptionsList { get; init; }
    }

    internal sealed record Subscription
    {
        public string Subject { get; init; } = "";

        /// <summary>The account of the client.</summary>
        public string? Account { get; init; }

        public string? Qgroup { get; init; }

        public string? Sid { get; init; }

        public ulong Cid { get; init; }
    }

    internal sealed record Streams
    {
        public StreamAccount[]? AccountDetails { get; init; }
    }

    internal sealed record StreamAccount
    {
        public string Name { get; init; } = "";

        public Stream[]? StreamDetail { get; init; }
    }

    internal sealed record Stream
    {
        public string Name { get; init; } = "";

        public StreamConfig? Config { get; init; }
    }

    internal sealed record StreamConfig
    {
        public string[]? Subjects { get; init; }
    }

    internal sealed record LeafNodes
    {
        public LeafNode[]? Leafs { get; init; }
    }

    internal sealed record LeafNode
    {
        public string? Name { get; init; }

        public string? Account { get; init; }

        public string? Ip { get; init; }

        public int Port { get; init; }

        public string[]? SubscriptionsList { get; init; }
    }
}
