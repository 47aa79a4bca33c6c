using System.Diagnostics;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>A server with streams, a connection to it, and its process.</summary>
internal sealed class MeasuredServer : IAsyncDisposable
{
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(30);

    private readonly BrokerConnection _connection;
    private readonly Process _process;

    private MeasuredServer(string url, BrokerConnection connection, Process process)
    {
        Url = url;
        _connection = connection;
        _process = process;
        Streams = connection.Streams();
    }

    /// <summary>The address of the server.</summary>
    internal string Url { get; }

    internal StreamsClient Streams { get; }

    /// <summary>The processor time of the server until now.</summary>
    internal TimeSpan Processor
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    /// <summary>The resident memory of the server.</summary>
    internal long Memory
    {
        get
        {
            _process.Refresh();
            return _process.WorkingSet64;
        }
    }

    /// <param name="url">The address of the server.</param>
    /// <param name="processId">The process of the server, on this machine.</param>
    internal static async Task<MeasuredServer> ConnectAsync(string url, int processId)
        => new(url, await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], ConnectTimeout = ConnectTimeout }).ConfigureAwait(false), Process.GetProcessById(processId));

    public async ValueTask DisposeAsync()
    {
        Streams.Dispose();
        await _connection.DisposeAsync().ConfigureAwait(false);
        _process.Dispose();
    }
}
