using System.Diagnostics;
using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.WebSockets;

public sealed class OfficialClientTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_official_JavaScript_client_talks_by_WebSocket(bool compressed)
    {
        // In the project's folder, three folders above its output.
        string folder = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", "..", "peers", "node"));
        Missing.Unless(Directory.Exists(Path.Combine(folder, "node_modules")), "what npm ci brings to peers/node");

        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, Compression = compressed });
        using Process node = Process.Start(new ProcessStartInfo("node")
        {
            // WebSocket is a global of Node 22 and later.
            ArgumentList = { "--experimental-websocket", "talk.mjs", site.WebSocketAddress.ToString() },
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Wait.Limit);
        try
        {
            Task<string> errors = node.StandardError.ReadToEndAsync(limit.Token);
            string said = await node.StandardOutput.ReadToEndAsync(limit.Token);
            Assert.True(said.EndsWith("CLOSED in order\n", StringComparison.Ordinal), said + await errors);
            Assert.Equal("SMALL hello value\nLARGE 0\nNOBODY true\nCLOSED in order\n", said);
        }
        finally
        {
            if (!node.HasExited)
            {
                node.Kill();
            }
        }
    }
}
