using System.Net;
using Broker.Bridge;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads ZeroMQ endpoints: an endpoint, a block with endpoints and the addresses that may connect, or an array of both.
/// </summary>
internal sealed class ZeroMqEndpointConfig(List<ConfigProblem> problems)
{
    private const string AllowShape = "an IP address or a network such as \"10.0.0.0/8\", or an array of these";

    /// <summary>Reads the endpoints of a key, or returns <paramref name="otherwise"/> if the key is missing.</summary>
    public IReadOnlyList<BridgeEndpoint> Read(ConfigSection section, string key, IReadOnlyList<BridgeEndpoint> otherwise)
    {
        if (section.Find(key) is not { } value)
        {
            return otherwise;
        }

        var read = new List<BridgeEndpoint>();
        foreach (ConfigValue item in value is ConfigArray { Items: var items } ? items : [value])
        {
            if (item is ConfigBlock block)
            {
                var inner = new ConfigSection(block, problems);
                read.AddRange(ReadBlock(inner, otherwise));
                inner.RejectTheRest();
            }
            else if (item is ConfigText { Value: var text } && ZeroMqEndpointText.ParseOrNull(text) is { } endpoint)
            {
                read.Add(endpoint);
            }
            else
            {
                section.Wrong(key, ZeroMqEndpointText.Shape, item, otherwise);
            }
        }

        return read;
    }

    /// <summary>Reads the endpoints of a block. The caller reads the other keys of the block.</summary>
    public static IReadOnlyList<BridgeEndpoint> ReadBlock(ConfigSection block, IReadOnlyList<BridgeEndpoint> otherwise)
    {
        IReadOnlyList<BridgeEndpoint> endpoints =
            block.Many("endpoint", otherwise, ZeroMqEndpointText.Shape, ZeroMqEndpointText.ParseOrNull);
        IReadOnlyList<Allowed> allowed = block.Many("allow", [], AllowShape, Network);
        if (block.Find("allow") is ConfigArray { Items.Count: 0 })
        {
            // An empty list of allowed addresses would let every address in.
            block.Lacks("\"allow\" is empty: name the allowed addresses, or leave the key out to allow every address");
        }

        return [.. endpoints.Select(e => e with { AllowedAddresses = [.. allowed.Select(a => a.Network)] })];
    }

    private static Allowed? Network(string text)
        => BridgeEndpoint.TryParseAllowed(text, out IPNetwork network) ? new Allowed(network) : null;

    private sealed record Allowed(IPNetwork Network);
}
