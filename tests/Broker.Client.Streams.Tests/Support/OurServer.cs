using System.Globalization;
using System.Net;
using Broker.Server;
using Broker.Streams;

namespace Broker.Client.Streams.Tests.Support;

/// <summary>A server of this project with streams, in this process.</summary>
internal sealed class OurServer : IAsyncDisposable
{
    private readonly string _directory;
    private readonly string? _domain;
    private int _port;
    private BrokerServer? _server;
    private AccountStreams? _streams;

    private OurServer(string directory, string? domain)
    {
        _directory = directory;
        _domain = domain;
    }

    internal string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{_port}");

    internal static OurServer Start(string directory, string? domain = null)
    {
        var server = new OurServer(directory, domain);
        server.Run();
        return server;
    }

    /// <summary>Stops the server. What is not acknowledged may be lost.</summary>
    internal void Kill() => Wait.For(DisposeAsync().AsTask()).GetAwaiter().GetResult();

    internal void Restart()
    {
        Kill();
        Run();
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
            await _streams!.DisposeAsync();
            _server = null;
        }
    }

    private void Run()
    {
        _server = Wait.For(BrokerServer.StartAsync(options => options.Listen(_port))).GetAwaiter().GetResult();
        _port = ((IPEndPoint)_server.EndPoints[0]).Port;
        var options = new AccountStreamsOptions { Directory = _directory, Domain = _domain };
        _streams = Wait.For(AccountStreams.StartAsync(_server, options)).GetAwaiter().GetResult();
    }
}
