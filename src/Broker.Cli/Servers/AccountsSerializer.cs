using System.Text.Json.Serialization;

namespace Broker.Cli.Servers;

/// <summary>Reads the page without reflection, which a native program does not have.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(AccountsPage))]
internal sealed partial class AccountsSerializer : JsonSerializerContext;
