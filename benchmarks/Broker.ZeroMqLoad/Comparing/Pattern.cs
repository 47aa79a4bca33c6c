namespace Broker.ZeroMqLoad.Comparing;

/// <summary>What passes a program that stands between ZeroMQ programs.</summary>
internal enum Pattern
{
    Push,
    Publish,
    Request,
}
