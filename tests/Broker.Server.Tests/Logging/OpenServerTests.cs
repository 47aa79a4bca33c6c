using System.Net;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Logging;

public sealed class OpenServerTests
{
    [Theory]
    [InlineData("0.0.0.0", false, true)]
    [InlineData("0.0.0.0", true, false)]
    [InlineData("127.0.0.1", false, false)]
    public async Task A_server_that_lets_other_machines_in_without_authentication_warns(string address, bool hasToken, bool warns)
    {
        var log = new LogCapture();
        var options = new BrokerServerOptions { Logger = log, Token = hasToken ? "secret" : null };
        options.Listen(new IPEndPoint(IPAddress.Parse(address), 0));

        await using BrokerServer server = await BrokerServer.StartAsync(options, TestContext.Current.CancellationToken);

        Assert.Equal(warns, log.Warnings.Any(w => w.StartsWith("No client has to authenticate, and other machines can connect", StringComparison.Ordinal)));
    }
}
