using System.Net;
using System.Net.Sockets;

namespace Broker.Hosting.Tests;

public sealed class ListenAddressTests
{
    [Theory]
    [InlineData("4222", "127.0.0.1:4222")]
    [InlineData("0.0.0.0:1", "0.0.0.0:1")]
    [InlineData("*:1", "[::]:1")]
    [InlineData("[::1]:1", "[::1]:1")]
    [InlineData("unix:/run/b.sock", "/run/b.sock")]
    [InlineData("unix:b.sock", "/content/b.sock")]
    public void An_address_is_said_in_several_ways(string text, string endPoint) => Assert.Equal(endPoint, Parse(text));

    [Fact]
    public void Without_IPv6_every_address_is_one_of_IPv4() => Assert.Equal("0.0.0.0:1", Parse("*:1", hasIPv6: false));

    [Theory]
    [InlineData("::1", "127.0.0.1")]
    [InlineData("127.0.0.1", "::1")]
    public void A_name_is_its_address_of_IPv4_first_however_the_resolver_orders_them(string first, string second)
        => Assert.Equal("127.0.0.1:1", Parse("localhost:1", IPAddress.Parse(first), IPAddress.Parse(second)));

    [Fact]
    public void A_name_with_an_address_of_IPv6_alone_is_that() => Assert.Equal("[::1]:1", Parse("six:1", IPAddress.IPv6Loopback));

    [Fact]
    public void A_name_without_an_address_is_said_with_the_key()
    {
        ArgumentException none = Assert.Throws<ArgumentException>(() => Parse("nowhere:1"));
        Assert.StartsWith("Listen: \"nowhere:1\": the name nowhere has no address: ", none.Message, StringComparison.Ordinal);

        ArgumentException unknown = Assert.Throws<ArgumentException>(
            () => ServerSetup.Parse("nowhere:1", static f => f, static _ => throw new SocketException((int)SocketError.TryAgain), hasIPv6: true));
        Assert.StartsWith("Listen: \"nowhere:1\": the name nowhere has no address: ", unknown.Message, StringComparison.Ordinal);
    }

    private static string? Parse(string text, params IPAddress[] addresses) => Parse(text, hasIPv6: true, addresses);

    private static string? Parse(string text, bool hasIPv6, params IPAddress[] addresses)
        => ServerSetup.Parse(text, static file => Path.Combine("/content", file), _ => addresses, hasIPv6).ToString();
}
