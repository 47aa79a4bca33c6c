using System.Text.Json.Serialization;

namespace Broker.Cli.Tracing;

/// <summary>Reads the pages without reflection, which a native program does not have.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(TracePages.Accounts))]
[JsonSerializable(typeof(TracePages.Subscriptions))]
[JsonSerializable(typeof(TracePages.LeafNodes))]
[JsonSerializable(typeof(TracePages.Streams))]
internal sealed partial class TraceSerializer : JsonSerializerContext;
