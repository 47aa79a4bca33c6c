using Aspire.Hosting;
using Aspire.Hosting.Testing;
using Broker.Client;

namespace Broker.Aspire.Tests;

/// <summary>Starts samples/AspireHost with other settings of its broker.</summary>
public sealed class ChangedAppHostTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_worker_connects_to_a_broker_with_a_token_by_the_connection_string()
    {
        await using DistributedApplication app = await AppHost.StartAsync(
            static (builder, broker) => broker.WithToken(builder.AddParameter("token", "s3cr/t", secret: true)));
        string address = (await app.GetConnectionStringAsync("nats", Ended))!;
        Assert.StartsWith("nats://s3cr%2Ft@localhost:", address, StringComparison.Ordinal);

        await using BrokerConnection client = await AppHost.ConnectAsync(address);
        await AppHost.WaitForWorkerAsync(client);
        await Assert.ThrowsAsync<AuthorizationException>(() => AppHost.ConnectAsync(address.Replace("s3cr%2Ft@", "", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task The_worker_connects_to_a_broker_with_a_user_by_the_connection_string()
    {
        await using DistributedApplication app = await AppHost.StartAsync(
            static (builder, broker) => broker.WithUser(builder.AddParameter("user", "ada"), builder.AddParameter("password", "p:w", secret: true)));
        string address = (await app.GetConnectionStringAsync("nats", Ended))!;
        Assert.StartsWith("nats://ada:p%3Aw@localhost:", address, StringComparison.Ordinal);

        await using BrokerConnection client = await AppHost.ConnectAsync(address);
        await AppHost.WaitForWorkerAsync(client);
    }

    [Fact]
    public async Task The_ports_of_the_app_host_come_before_those_of_the_configuration_file()
    {
        using var file = new TemporaryFile("port: 1\nhttp_port: 1\nmax_payload: 54321\nserver_name: of-the-file\n");
        await using DistributedApplication app = await AppHost.StartAsync((_, broker) => broker.WithConfigurationFile(file.Path));
        using HttpClient http = app.CreateHttpClient("nats", "monitoring");

        string page = await http.GetStringAsync("/varz", Ended);
        Assert.Contains("\"max_payload\": 54321", page, StringComparison.Ordinal);
        await using BrokerConnection client = await AppHost.ConnectAsync((await app.GetConnectionStringAsync("nats", Ended))!);
        await AppHost.WaitForWorkerAsync(client);
    }

    [Fact]
    public async Task A_missing_command_ends_the_start_with_an_error_that_names_it()
    {
        await using IDistributedApplicationTestingBuilder builder = await AppHost.CreateAsync("no-such-broker");
        await using DistributedApplication app = await builder.BuildAsync(Ended);

        DistributedApplicationException problem = await Assert.ThrowsAsync<DistributedApplicationException>(() => Wait.For(app.StartAsync(Ended)));

        Assert.Equal("The resource 'nats' cannot start: the command 'no-such-broker' is not in the PATH.", problem.Message);
    }
}
