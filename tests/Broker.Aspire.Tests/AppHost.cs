using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Testing;
using Broker.Client;

namespace Broker.Aspire.Tests;

/// <summary>Runs the app host of samples/AspireHost with the broker that these tests have built.</summary>
internal static class AppHost
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    /// <summary>Creates the app host, changes its broker, and starts it. Its broker and its worker run then.</summary>
    internal static async Task<DistributedApplication> StartAsync(Action<IDistributedApplicationTestingBuilder, IResourceBuilder<BrokerResource>>? change = null)
    {
        IDistributedApplicationTestingBuilder builder = await CreateAsync(Path.Combine(AppContext.BaseDirectory, "broker.dll"));
        change?.Invoke(builder, builder.CreateResourceBuilder(builder.Resources.OfType<BrokerResource>().Single()));
        DistributedApplication app = await builder.BuildAsync(Ended);
        try
        {
            await Wait.For(app.StartAsync(Ended));
            await Wait.For(app.ResourceNotifications.WaitForResourceHealthyAsync("nats", Ended));
            await Wait.For(app.ResourceNotifications.WaitForResourceAsync("worker", KnownResourceStates.Running, Ended));
            return app;
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    internal static Task<IDistributedApplicationTestingBuilder> CreateAsync(string command)
        => DistributedApplicationTestingBuilder.CreateAsync<Projects.AspireHost>([$"--Broker:Command={command}"], Ended);

    internal static Task<BrokerConnection> ConnectAsync(string address)
        => BrokerConnection.ConnectAsync(new ClientOptions { Servers = [address], ConnectTimeout = Wait.Limit }, Ended);

    // A process runs before its client has subscribed.
    internal static Task WaitForWorkerAsync(BrokerConnection client) => Wait.UntilAsync(
        async () =>
        {
            try
            {
                return (await client.RequestAsync("greet.ada", "", Wait.Limit, cancellationToken: Ended)).Text.Length > 0;
            }
            catch (NoRespondersException)
            {
                return false;
            }
        },
        "the worker's answer");
}
