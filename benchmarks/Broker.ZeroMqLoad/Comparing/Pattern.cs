namespace Broker.ZeroMqLoad.Comparing;

/// <summary>The pattern of the traffic through a program between ZeroMQ programs.</summary>
internal enum Pattern
{
    Push,
    Publish,
    Request,
}
