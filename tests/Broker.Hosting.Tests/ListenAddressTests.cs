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
    public void An_address_is_said_in_several_ways(string text, string endPoint) => Assert.Equal(endPoint, ServerSetup.Parse(text, file => Path.Combine("/content", file)).ToString());
}
