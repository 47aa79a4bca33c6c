namespace Broker.Cli.Tests.Serving;

public sealed class ZeroMqEndpointTextTests
{
    [Theory]
    [InlineData("bind tcp://127.0.0.1:5556", "bind tcp://127.0.0.1:5556")]
    [InlineData("CONNECT  tcp://host:1", "connect tcp://host:1")]
    [InlineData("tcp://*:5556", "bind tcp://*:5556")]
    [InlineData("tcp://127.0.0.1:*", "bind tcp://127.0.0.1:0")]
    [InlineData("bind tcp://[::1]:5556", "bind tcp://[::1]:5556")]
    [InlineData("ipc:///run/feed", "bind ipc:///run/feed")]
    [InlineData("connect ipc://@feed", "connect ipc://@feed")]
    public void Endpoints_are_understood(string text, string endpoint)
        => Assert.Equal(endpoint, ZeroMqEndpointText.Format(ZeroMqEndpointText.ParseOrNull(text)!));

    [Theory]
    [InlineData("")]
    [InlineData("bind")]
    [InlineData("foo tcp://h:1")]
    [InlineData("tcp://h")]
    [InlineData("tcp://:1")]
    [InlineData("tcp://h:70000")]
    [InlineData("tcp://::1:5556")]
    [InlineData("connect tcp://h:0")]
    [InlineData("connect tcp://h:*")]
    [InlineData("connect tcp://*:1")]
    [InlineData("inproc://feed")]
    [InlineData("ipc://")]
    [InlineData("udp://h:1")]
    [InlineData("bind tcp://h:1 tcp://h:2")]
    public void Others_are_refused(string text) => Assert.Null(ZeroMqEndpointText.ParseOrNull(text));
}
