using System.Collections.Concurrent;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Handshake;

/// <summary>Certificates that are renewed while a connection lives.</summary>
public sealed class RenewedCertificateTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Certificate_files_are_read_anew_for_each_connect()
    {
        using var first = new TestCertificates();
        using var second = new TestCertificates();
        TestCertificates current = first;
        string folder = Directory.CreateTempSubdirectory("broker-").FullName;
        (string authority, string certificate, string key) = (Path.Combine(folder, "a.pem"), Path.Combine(folder, "c.pem"), Path.Combine(folder, "k.pem"));
        Write(first);
        await using AnyServer server = await AnyServer.StartAsync(
            ServerKind.Broker,
            o => o.Tls = new ServerTlsOptions
            {
                Certificate = current.Server,
                ClientCertificates = ClientCertificateMode.Required,
                ClientAuthorityFile = current.AuthorityFile,
                Timeout = TimeSpan.FromMinutes(1),
            });
        TaskCompletionSource found = Wait.Source();
        var failures = new ConcurrentQueue<Exception>();
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            server.Options with
            {
                Tls = new ClientTlsOptions { AuthorityFile = authority, CertificateFile = certificate, KeyFile = key },
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnReconnected = _ => found.TrySetResult(),
                OnConnectFailed = (_, e) => failures.Enqueue(e),
            },
            Token));
        // Half of the renewal is written: these attempts fail, and the connection tries on.
        await File.WriteAllTextAsync(key, "-----BEGIN", Token);
        current = second;
        await server.RestartAsync();
        await Wait.UntilAsync(() => failures.OfType<TlsException>().Any(static e => e.Message.Contains("cannot be read", StringComparison.Ordinal)), "a failed attempt");
        Write(second);
        await Wait.For(found);
        await connection.PingAsync(Token);
        Assert.True(connection.TlsDescription!.IsMutuallyAuthenticated);
        Directory.Delete(folder, recursive: true);

        void Write(TestCertificates from)
        {
            File.Copy(from.AuthorityFile, authority, overwrite: true);
            File.Copy(from.ClientCertificateFile, certificate, overwrite: true);
            File.Copy(from.ClientKeyFile, key, overwrite: true);
        }
    }
}
