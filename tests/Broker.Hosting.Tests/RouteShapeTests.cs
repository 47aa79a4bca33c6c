using System.Text;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting.Tests;

/// <summary>Each key of a configured route refuses a value of the wrong shape with its path.</summary>
public sealed class RouteShapeTests
{
    [Theory]
    [InlineData("pubsub")]
    [InlineData("request")]
    [InlineData("worker")]
    [InlineData("pushpull")]
    [InlineData("router")]
    [InlineData("dealer")]
    [InlineData("pair")]
    public void A_section_in_place_of_a_value_is_refused_for_each_key_of_the_pattern(string pattern)
    {
        foreach (string key in KeysOf(pattern))
        {
            List<string> problems = Read(pattern, $"{{\"{key}\":{{\"Nobody\":{{\"Knows\":\"this\"}}}}}}");

            Assert.Contains(problems, problem => problem.StartsWith($"route:{key}", StringComparison.Ordinal));
        }
    }

    [Theory]
    [InlineData("""{"Endpoint":{"Endpoint":"tcp://127.0.0.1:*","Allow":[]}}""", "route:Endpoint:Allow: the list is empty")]
    [InlineData("""{"Endpoint":[{"Endpoint":"tcp://127.0.0.1:*","Allow":[]}]}""", "route:Endpoint:0:Allow: the list is empty")]
    [InlineData("""{"Endpoint":[{"Endpoint":"tcp://127.0.0.1:*","Allow":"10.1"}]}""", "route:Endpoint:0:Allow: \"10.1\" is not an address")]
    [InlineData("""{"Endpoint":[{"Endpoint":"tcp://127.0.0.1:*","Allow":["010.1.0.0/16"]}]}""", "route:Endpoint:0:Allow: \"010.1.0.0/16\" is not")]
    [InlineData("""{"Endpoint":[{"Endpoint":"tcp://127.0.0.1:*","Alow":"10.0.0.0/8"}]}""", "route:Endpoint:0:Alow: an endpoint has no such key; did you mean Allow?")]
    public void Allowed_addresses_that_would_let_others_in_are_refused(string document, string problem)
        => Assert.Contains(Read("request", document), found => found.StartsWith(problem, StringComparison.Ordinal));

    [Fact]
    public void One_endpoint_may_be_a_section_without_a_list()
        => Assert.DoesNotContain(Read("request", """{"Endpoint":{"Endpoint":"tcp://127.0.0.1:*","Allow":"10.0.0.0/8"}}"""), problem => problem.Contains("Endpoint", StringComparison.Ordinal));

    private static IReadOnlySet<string> KeysOf(string pattern)
    {
        var section = new RouteSection(new ConfigurationBuilder().Build().GetSection("route"), []);
        Broker.Bridge.RoutePatterns.Find(pattern)!(section);
        return section.Known;
    }

    private static List<string> Read(string pattern, string document)
    {
        IConfigurationSection read = new ConfigurationBuilder()
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes($$"""{"route":{{document}}}""")))
            .Build().GetSection("route");
        var problems = new List<string>();
        var section = new RouteSection(read, problems);
        Broker.Bridge.RoutePatterns.Find(pattern)!(section);
        section.RejectTheRest("the route");
        return problems;
    }
}
