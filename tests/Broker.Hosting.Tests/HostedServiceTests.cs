using Broker.Client;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests;

public sealed class HostedServiceTests
{
    private static readonly RequestManyOptions One = new() { MaxReplies = 1, Deadline = Wait.Limit };

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static void AddAsOnThePage(IServiceCollection services)
    {
        var builder = new { Services = services };
        builder.Services.AddBrokerClient();
        builder.Services.AddBrokerService("calc", "1.0.0", service =>
            service.AddEndpoint("echo", request => request.Respond(request.Text)));
    }

    [Fact]
    public async Task A_service_starts_with_the_host_and_answers_until_its_stop()
    {
        await using TestHost host = await TestHost.StartAsync(static services => AddAsOnThePage(services.AddBroker()), ("Broker:Listen:0", "127.0.0.1:0"));
        await host.Services.GetRequiredService<BrokerConnection>().PingAsync(Cancellation);
        await using BrokerConnection other = await BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation);

        Assert.Equal("hi", (await other.RequestAsync("echo", "hi", Wait.Limit, cancellationToken: Cancellation)).EnsureServiceSuccess().Text);
        Assert.Equal("1.0.0", (await other.PingServicesAsync("calc", options: One, cancellationToken: Cancellation).SingleAsync(Cancellation)).Version);
        await host.StopAsync(Cancellation);
    }

    [Fact]
    public void The_page_shows_the_code_that_these_tests_run()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "services.md"));
        string tests = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Broker.Hosting.Tests", "HostedServiceTests.cs"));
        string[] shown = [.. page.Split('\n').Where(static line => line.Length > 0).SkipWhile(static line => line != "## In a host").Skip(3).TakeWhile(static line => line != "```")];

        Assert.Equal(3, shown.Length);
        Assert.All(shown, line => Assert.Contains(line.Trim(), tests, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_service_uses_the_client_of_a_name_and_the_services_of_the_host()
    {
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddSingleton("from the host").AddBroker().AddBrokerClient("other").AddBrokerService(
                new ServiceOptions("calc", "1.0.0"),
                static (service, provider) =>
                {
                    string text = provider.GetRequiredService<string>();
                    service.AddEndpoint("text", request => request.Respond(text));
                },
                "other"),
            ("Broker:Listen:0", "127.0.0.1:0"));
        await host.Services.GetRequiredKeyedService<BrokerConnection>("other").PingAsync(Cancellation);
        await using BrokerConnection other = await BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation);

        Assert.Equal("from the host", (await other.RequestAsync("text", "", Wait.Limit, cancellationToken: Cancellation)).Text);
    }

    [Fact]
    public async Task A_service_that_is_not_valid_fails_the_start()
    {
        await using var host = TestHost.Build(
            static services => services.AddBroker().AddBrokerClient().AddBrokerService("a.b", "1.0.0", static _ => { }), ("Broker:Listen:0", "127.0.0.1:0"));

        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(host.StartAsync);

        Assert.Contains("'a.b' is not a valid name of a service", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "The service 'calc' needs a client, and the host has none: call AddBrokerClient().")]
    [InlineData("other", "The service 'calc' needs the client 'other', and the host has none of this name: call AddBrokerClient(\"other\").")]
    public async Task A_service_without_its_client_fails_the_start_with_the_remedy(string? client, string expected)
    {
        await using var host = TestHost.Build(
            services => services.AddBroker().AddBrokerService(new ServiceOptions("calc", "1.0.0"), static (_, _) => { }, client), ("Broker:Listen:0", "127.0.0.1:0"));

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(host.StartAsync);

        Assert.Equal(expected, error.Message);
    }

    [Fact]
    public async Task The_stop_of_the_host_waits_for_requests_that_are_handled()
    {
        TaskCompletionSource entered = Wait.Source();
        TaskCompletionSource release = Wait.Source();
        await using TestHost host = await TestHost.StartAsync(
            services => services.AddBroker().AddBrokerClient().AddBrokerService("calc", "1.0.0", service => service.AddEndpoint(
                "slow",
                async request =>
                {
                    entered.TrySetResult();
                    await release.Task;
                    request.Respond("done");
                })),
            ("Broker:Listen:0", "127.0.0.1:0"));
        await host.Services.GetRequiredService<BrokerConnection>().PingAsync(Cancellation);
        await using BrokerConnection other = await BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation);

        Task<Message> reply = other.RequestAsync("slow", "", Wait.Limit, cancellationToken: Cancellation).AsTask();
        await Wait.For(entered.Task);
        Task stop = host.StopAsync(Cancellation);
        release.SetResult();

        Assert.Equal("done", (await Wait.For(reply)).Text);
        await Wait.For(stop);
    }
}
