using System.Net;
using Broker.Hosting;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>
/// Finds the endpoints for NATS clients: the sockets that systemd has opened for this process, otherwise the addresses
/// of the settings.
/// </summary>
internal static partial class ListenEndPoints
{
    /// <exception cref="ServeStartException">
    /// A host name does not resolve, or the variables of systemd are invalid.
    /// </exception>
    public static async Task<IReadOnlyList<EndPoint>> FindAsync(
        ServeSettings settings, ILogger logger, CancellationToken cancellationToken)
    {
        IReadOnlyList<InheritedEndPoint> opened = Opened();
        if (opened.Count > 0)
        {
            TakingOver(logger, string.Join(", ", opened));
            return opened;
        }

        var endPoints = new List<EndPoint>();
        foreach (ListenAddress address in settings.AlsoListen.Prepend(new ListenAddress(settings.Host, settings.Port)))
        {
            endPoints.Add(await address.ResolveAsync(cancellationToken));
        }

        return endPoints;
    }

    private static IReadOnlyList<InheritedEndPoint> Opened()
    {
        try
        {
            return SystemdSockets.OfProcess();
        }
        catch (FormatException e)
        {
            throw new ServeStartException($"cannot use the sockets of systemd: {e.Message}", e);
        }
    }

    [LoggerMessage(217, LogLevel.Information, "Listening on the sockets of systemd, in place of \"listen\" and \"port\": {Sockets}")]
    private static partial void TakingOver(ILogger logger, string sockets);
}
