using System.Text.Json.Serialization;

namespace Broker.Cli.Top;

/// <summary>Reads the pages without reflection, which a native program does not have.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(ServerPage))]
[JsonSerializable(typeof(ConnectionsPage))]
[JsonSerializable(typeof(RoutesPage))]
internal sealed partial class PageSerializer : JsonSerializerContext;
