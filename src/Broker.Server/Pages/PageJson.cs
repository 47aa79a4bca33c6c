using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Server;

// The default encoder also escapes characters with a meaning in HTML as \u00XX.
[JsonSourceGenerationOptions(
    WriteIndented = true,
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Varz))]
[JsonSerializable(typeof(Connz))]
[JsonSerializable(typeof(Subsz))]
[JsonSerializable(typeof(Accountz))]
[JsonSerializable(typeof(AccountDetail))]
[JsonSerializable(typeof(Accstatz))]
[JsonSerializable(typeof(Healthz))]
[JsonSerializable(typeof(Routez))]
[JsonSerializable(typeof(Leafz))]
[JsonSerializable(typeof(Gatewayz))]
[JsonSerializable(typeof(Jsz))]
[JsonSerializable(typeof(Subjectz))]
[JsonSerializable(typeof(JszAccount))]
[JsonSerializable(typeof(UserInfo))]
internal sealed partial class PageJson : JsonSerializerContext
{
    /// <summary>
    /// The options for JSON on one line. Health probes compare <c>/healthz</c> with <c>{"status":"ok"}</c>.
    /// </summary>
    internal static PageJson Compact { get; } = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    });
}
