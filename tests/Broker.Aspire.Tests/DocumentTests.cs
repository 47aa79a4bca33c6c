using System.Text.RegularExpressions;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Testing;

namespace Broker.Aspire.Tests;

/// <summary>The page docs/aspire.md shows the code of the samples that <see cref="AppHostTests"/> starts.</summary>
public sealed partial class DocumentTests
{
    private static string Page => Read("docs", "aspire.md");

    [Fact]
    public void The_page_shows_the_samples_line_for_line()
    {
        string samples = Read("samples", "AspireHost", "Program.cs") + Read("samples", "AspireWorker", "Program.cs") + Read("samples", "AspireWorker", "Greeter.cs")
            + Read("tests", "Broker.Aspire.Tests", "DocumentTests.cs") + Read("tests", "Broker.Aspire.Tests", "ChangedAppHostTests.cs");
        string[] lines = [.. CodeBlock().Matches(Page).SelectMany(static block => block.Groups[1].Value.Split('\n')).Select(static line => line.Trim()).Where(static line => line.Length > 0)];

        Assert.True(lines.Length >= 10);
        Assert.All(lines, line => Assert.Contains(line, samples, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_resources_of_the_page_are_in_the_app_host()
    {
        await using IDistributedApplicationTestingBuilder builder = await AppHost.CreateAsync("broker");

        AddAsOnThePage(builder, builder.CreateResourceBuilder(builder.Resources.OfType<BrokerResource>().Single()));

        Assert.Equal(["nats", "orders"], builder.Resources.OfType<BrokerResource>().Select(static resource => resource.Name));
        Assert.Contains(builder.Resources, static resource => resource.Name == "station");
    }

    private static void AddAsOnThePage(IDistributedApplicationBuilder builder, IResourceBuilder<BrokerResource> broker)
    {
        IResourceBuilder<ParameterResource> token = builder.AddParameter("broker-token", secret: true);
        IResourceBuilder<BrokerResource> orders = builder.AddBroker("orders", port: 4222).WithToken(token).WithConfigurationFile("broker.conf").WithArgs("--debug");
        builder.AddExecutable("station", "python3", ".", "station.py").WithEnvironment("PUBLISHERS", broker.Resource.PublishersEndpoint);
        Assert.Equal(4222, orders.Resource.Annotations.OfType<EndpointAnnotation>().Single(static endpoint => endpoint.Name == "nats").Port);
    }

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path]));

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.CultureInvariant | RegexOptions.Singleline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CodeBlock();
}
