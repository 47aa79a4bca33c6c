using Broker.Client.Tests.Support;
using Broker.Cryptography;

namespace Broker.Client.Tests.Handshake;

/// <summary>
/// Users that authenticate with a credentials file, whose JWT an operator's account has signed. This project's server
/// does not support operators.
/// </summary>
public sealed class JwtTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static ClientOptions Options(NatsServer server, string file)
    {
        var user = UserCredentials.Load(file);
        return new() { Servers = [server.Url], Jwt = () => user.Jwt, Sign = user.Sign };
    }

    [Fact]
    public async Task A_credentials_file_authenticates_its_user_also_after_a_restart()
    {
        var site = new OperatorSite();
        using var server = NatsServer.StartWithConfiguration(site.Configuration);
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            Options(server, site.WriteCredentials()) with { OnReconnected = _ => found.TrySetResult(), ReconnectDelay = _ => TimeSpan.FromMilliseconds(20) }, Token);
        await client.PingAsync(Token);
        server.Restart();
        await Wait.For(found);
        await client.PingAsync(Token);
    }

    [Fact]
    public async Task A_user_that_no_account_has_signed_is_refused()
    {
        var site = new OperatorSite();
        using var server = NatsServer.StartWithConfiguration(site.Configuration);
        await Assert.ThrowsAsync<AuthorizationException>(
            () => Patient.ConnectAsync(Options(server, site.WriteCredentials(signedByAccount: false)), Token));
        await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(new() { Servers = [server.Url] }, Token));
    }
}
