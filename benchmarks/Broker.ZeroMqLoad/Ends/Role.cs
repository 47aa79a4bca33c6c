namespace Broker.ZeroMqLoad.Ends;

internal enum Role
{
    Push,
    Pull,
    Req,
    Rep,
    Pub,
    Sub,
    Forward,
    Bridge,
}
