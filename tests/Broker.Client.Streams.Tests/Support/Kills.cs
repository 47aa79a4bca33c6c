using System.Globalization;

namespace Broker.Client.Streams.Tests.Support;

/// <summary>How often the server is killed under load: the environment variable BROKER_STREAM_KILLS, or 5.</summary>
internal static class Kills
{
    internal static readonly int Count =
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_STREAM_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 5;
}
